import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';

test('the migrations make the default tenant', async () => {
  const row = await env.DB.prepare('select name from tenants where id = ?').bind('default').first();
  expect(row).toEqual({ name: 'default' });
});
