import { expect, test } from 'vitest';
import { domainLink } from '../../dashboard/pages/service/domain-link.ts';

test.for([
  { host: 'www.shop.localhost', http: 19_380, https: 19_343, link: 'http://www.shop.localhost:19380' },
  { host: 'shop.localhost', http: 80, https: 443, link: 'http://shop.localhost' },
  { host: 'localhost', http: 8_080, https: 443, link: 'http://localhost:8080' },
  { host: 'shop.example.com', http: 19_380, https: 19_343, link: 'https://shop.example.com:19343' },
  { host: 'shop.example.com', http: 8_080, https: 443, link: 'https://shop.example.com' },
])('the domain $host of a proxy on $http and $https leads to $link', ({ host, http, https, link }) => {
  expect(domainLink(host, { http, https })).toBe(link);
});
