import type { CallOptions, ReplyOf } from '../../../../client/client.ts';
import type { DroppedFolder } from './folder/dropped-folder.ts';

type Reply = ReplyOf<'POST /api/projects/:projectId/source-plans'>;
export type Plan = NonNullable<Reply['plan']>;
export type Problem = NonNullable<Reply['problem']>;
export type PlanBody = NonNullable<CallOptions<'POST /api/projects/:projectId/source-plans'>['body']>;
export type NewServiceBody = CallOptions<'POST /api/projects/:projectId/services'>['body'];

/** A source that was read, and what it was read with. */
export interface ReadSource {
  plan: Plan;
  gitToken: string;
  folder: DroppedFolder | undefined;
}
