import { describe, expect, test } from 'vitest';
import { draftOf, rulesOf } from '../../dashboard/pages/service/traffic/traffic-draft.ts';
import { trafficRulesBody } from '../../worker/domain/domains/traffic/rule-fields.ts';

const all = trafficRulesBody.parse({
  redirects: [
    {
      domains: ['www.example.com'],
      fromPath: '/old',
      match: 'exact',
      to: '/new',
      permanent: true,
      keepPath: false,
    },
  ],
  basicAuth: { domains: ['www.example.com'], users: [{ user: 'team' }], openPaths: ['/healthz'] },
  maintenance: {
    domains: ['www.example.com'],
    retryAfterSeconds: 600,
    allowedAddresses: ['192.0.2.1', '2001:db8::/32'],
  },
  requestHeaders: [{ change: 'set', header: 'X-Environment', content: 'a, b' }],
  responseHeaders: [{ change: 'remove', header: 'X-Powered-By' }],
  maxBodyMegabytes: 10,
  firstByteTimeoutSeconds: 30,
  idleTimeoutSeconds: 60,
  accessLog: { sample: 0.5 },
});

describe('traffic rules in the editor', () => {
  test('what is not edited is sent as it was read', () => {
    // biome-ignore lint/suspicious/noExplicitAny: the API's type has tuples where zod's has arrays
    expect(rulesOf(draftOf(all as any))).toEqual(all);
    expect(Object.keys(all).sort()).toEqual(Object.keys(trafficRulesBody.shape).sort());
  });

  test('no rules are edited as empty fields, and sent as none', () => {
    expect(rulesOf(draftOf({}))).toEqual({
      redirects: [],
      basicAuth: null,
      maintenance: null,
      requestHeaders: [],
      responseHeaders: [],
      maxBodyMegabytes: null,
      firstByteTimeoutSeconds: null,
      idleTimeoutSeconds: null,
      accessLog: null,
    });
  });

  test('a list may be typed with commas, spaces and lines; a removed header has no value', () => {
    const draft = draftOf({ responseHeaders: [{ change: 'set', header: 'X-A', content: 'b' }] });
    const [header] = draft.responseHeaders;
    if (header) header.change = 'remove';
    draft.hasMaintenance = true;
    draft.allowedAddresses = '192.0.2.1, 192.0.2.2\n192.0.2.3 ';
    expect(rulesOf(draft)).toMatchObject({
      responseHeaders: [{ change: 'remove', header: 'X-A' }],
      maintenance: { allowedAddresses: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] },
    });
    expect(rulesOf(draft).responseHeaders?.[0]).not.toHaveProperty('content');
  });
});
