import type { ReplyOf } from '../../../../client/client.ts';
import type { Overview } from '../../../api/queries.ts';

export type MountedFile = ReplyOf<'GET /api/services/:serviceId/files'>['files'][number];
export type Volume = Overview['volumes'][number];
