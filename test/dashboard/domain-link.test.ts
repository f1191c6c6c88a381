import { expect, test } from 'vitest';
import { domainLink } from '../../dashboard/pages/service/domain-link.ts';

test.for([
  { host: 'shop.localhost', primary: 'https://shop.localhost:8443', link: 'https://shop.localhost:8443' },
  { host: 'shop.localhost', primary: 'http://web.localhost:8080', link: 'http://shop.localhost:8080' },
  { host: 'shop.localhost', primary: 'https://shop.example.com', link: 'http://shop.localhost' },
  {
    host: 'shop.example.com',
    primary: 'https://www.example.com:8443',
    link: 'https://shop.example.com:8443',
  },
  { host: 'shop.example.com', primary: 'http://web.localhost:8080', link: 'https://shop.example.com' },
  { host: 'shop.example.com', primary: '', link: 'https://shop.example.com' },
])('the domain $host of a service at "$primary" leads to $link', ({ host, primary, link }) => {
  expect(domainLink(host, primary)).toBe(link);
});
