import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';

/** Rules without effect. */
export const noTrafficRules: TrafficRules = {
  redirects: [],
  basicAuth: null,
  maintenance: null,
  requestHeaders: [],
  responseHeaders: [],
  maxBodyMegabytes: null,
  firstByteTimeoutSeconds: null,
};
