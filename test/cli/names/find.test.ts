import { expect, test } from 'vitest';
import { findService } from '../../../cli/names/find.ts';
import type { Project } from '../../../client/client.ts';

const service = (slug: string) => ({ id: `svc_${slug}`, slug, name: slug.toUpperCase() });
const project = (slug: string, services: string[]) => ({
  id: `prj_${slug}`,
  slug,
  name: `The ${slug}`,
  services: services.map((name) => ({ ...service(name), id: `svc_${slug}_${name}` })),
});
const projects = [
  project('shop', ['web', 'mail']),
  project('blog', ['web']),
  project('new', []),
] as unknown as Project[];
const found = (wanted: Parameters<typeof findService>[1]) => {
  const { project, service } = findService(projects, wanted);
  return `${project.slug}/${service.slug}`;
};

test.each([
  [{ service: 'shop/web' }, 'shop/web'],
  [{ service: 'The shop/WEB' }, 'shop/web'],
  [{ service: 'svc_blog_web', project: 'shop' }, 'blog/web'],
  [{ service: 'mail' }, 'shop/mail'],
  [{ project: 'blog', service: 'web' }, 'blog/web'],
  [{ project: 'prj_blog' }, 'blog/web'],
  [{ project: 'shop', service: 'blog/web' }, 'blog/web'],
])('%j names one service', (wanted, path) => {
  expect(found(wanted)).toBe(path);
});

test.each([
  [{ service: 'web' }, 'is ambiguous. Name one of: shop/web, blog/web'],
  [{ service: 'shop/wbe' }, 'Did you mean shop/web or'],
  [{ service: 'sohp/web' }, 'There is no project "sohp". Did you mean shop?'],
  [{ service: 'quite-else' }, 'There are: shop/web, shop/mail, blog/web.'],
  [{ project: 'new' }, 'there are none yet'],
  [{}, 'Which service? Name it with -s'],
  [{ project: 'shop' }, 'Services: shop/web, shop/mail'],
])('%j is refused as wrong usage, with the names that there are', (wanted, sentence) => {
  expect(() => found(wanted)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining(sentence) }),
  );
});
