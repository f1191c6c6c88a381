/** Common to all ways to sign in: each begins at a page of this instance and ends with a code. */
import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { isSameOrigin } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { SignInCode } from '../../usecases/access/sign-in-member.ts';

export const codeReply = z.strictObject({
  code: z.string().describe('Opens one session: POST /api/sessions with it as the Bearer token, at once.'),
  expiresAt: timestampSchema.meta(notes.expiresAt),
});

export const presentCode = ({ code, expiresAt }: SignInCode): z.infer<typeof codeReply> => ({
  code,
  expiresAt: timestamp(expiresAt),
});

/** @throws ApiError `forbidden` */
export function assertSameOrigin(request: Request): void {
  if (isSameOrigin(request)) return;
  throw new ApiError('forbidden', 'Only pages of this instance can sign in: open its own address.');
}
