import type { ReplyOf } from '../../../../client/client.ts';

export type TrustPolicy = ReplyOf<'GET /api/projects/:projectId/trust-policies'>['trustPolicies'][number];
