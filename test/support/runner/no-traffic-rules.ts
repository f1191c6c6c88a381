import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';

/** Rules that change nothing. */
export const noTrafficRules: TrafficRules = {
  redirects: [],
  basicAuth: null,
  maintenance: null,
  requestHeaders: [],
  responseHeaders: [],
  maxBodyMegabytes: null,
  firstByteTimeoutSeconds: null,
};
