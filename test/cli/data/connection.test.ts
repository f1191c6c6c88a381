import { expect, test } from 'vitest';
import { shellProgram, urlOf } from '../../../cli/data/connection.ts';
import { engines } from '../../../cli/data/databases.ts';

const connection = { host: 'db.example', port: 4000, user: 'app', password: 'p@ss/w:rd', database: 'shop' };

test.each(engines)('the password of %s is in no argument of its program', (engine) => {
  const { args, env } = shellProgram(engine, connection);
  expect(args.join(' ')).not.toMatch(/p@ss|p%40ss/);
  expect(Object.values(env).join(' ')).toMatch(/p@ss|p%40ss/);
});

test.each(engines)('a URL of %s gives its password back', (engine) => {
  const url = new URL(urlOf(engine, connection));
  expect([decodeURIComponent(url.password), url.host]).toEqual(['p@ss/w:rd', 'db.example:4000']);
});
