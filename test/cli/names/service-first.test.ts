import { expect, test } from 'vitest';
import { serviceFirst } from '../../../cli/names/service-first.ts';
import type { Project } from '../../../client/client.ts';

const web = { id: 'svc_1', slug: 'web', name: 'Web' };
const projects = [{ id: 'prj_1', slug: 'shop', name: 'The shop', services: [web] }] as unknown as Project[];

test.each<[string | undefined, string[], string | undefined, string[]]>([
  [undefined, ['shop/web'], 'shop/web', []],
  [undefined, ['shop/web', 'ls', '-l'], 'shop/web', ['ls', '-l']],
  ['web', ['shop/web'], 'web', ['shop/web']],
  [undefined, ['bin/rake', 'db:migrate'], undefined, ['bin/rake', 'db:migrate']],
  [undefined, ['shop/mail'], undefined, ['shop/mail']],
  [undefined, ['/shop/web'], undefined, ['/shop/web']],
  [undefined, ['web'], undefined, ['web']],
  [undefined, [], undefined, []],
])(
  'with -s %j the words %j mean the service %j and the command %j',
  async (given, words, service, command) => {
    expect(await serviceFirst(async () => projects, given, words)).toEqual({ service, command });
  },
);
