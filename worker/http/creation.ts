/** Serves a POST that creates something: the new id is chosen first, and a repeat with the same `Idempotency-Key` creates nothing. */

import { ApiError } from '../domain/errors.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { type Attempt, answerOnce } from '../usecases/instance/answer-once.ts';
import { audit } from './audit.ts';
import type { Caller } from './authenticate.ts';
import type { AnyCall, AnyCreation } from './route.ts';
import type { Visit } from './visit.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

interface Creating {
  creation: AnyCreation;
  call: AnyCall;
  text: string;
  reply(value: unknown): Response;
}

/** @throws ApiError for a malformed or conflicting key; also errors of the handler. */
export async function serveCreation(visit: Visit, caller: Caller, creating: Creating): Promise<Response> {
  const { route } = visit;
  const { creation, call, reply } = creating;
  const { deps } = call;
  const idempotencyKey = idempotencyKeyOf(visit.request.headers);
  const attempt = async ({ createdId, isRepeat }: Attempt): Promise<Response> => {
    const found = isRepeat ? await creation.find?.(call, createdId) : undefined;
    return reply(found ?? (await route.handle({ ...call, deps: withFirstId(deps, creation, createdId) })));
  };
  const createdId = creation.kind === undefined ? '' : deps.newId(creation.kind);
  if (idempotencyKey === undefined) {
    const response = await attempt({ createdId, isRepeat: false });
    audit(visit, caller, response.status, { createdId });
    return response;
  }
  const once = {
    keyId: caller.key?.id ?? caller.principal.kind,
    idempotencyKey,
    request: requestText(visit.request, creating.text),
    createdId,
  };
  const answer = await answerOnce(deps, once, async (one) => (await attempt(one)).text());
  audit(visit, caller, 200, { createdId: answer.createdId });
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (answer.isReplayed) headers.set('Idempotent-Replayed', 'true');
  return new Response(answer.text, { headers });
}

/** @throws ApiError `invalid_request`. */
function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null || keyPattern.test(key)) return key ?? undefined;
  throw new ApiError(
    'invalid_request',
    'The header Idempotency-Key must have 1 to 255 visible ASCII characters.',
  );
}

/** The identity of a request: a repeat must match it exactly. */
function requestText({ method, url }: Request, text: string): string {
  const { pathname, search } = new URL(url);
  return [method, pathname + search, text].join('\n');
}

/** The first id of this kind that the handler requests is `createdId`, so that the created resource gets it; later ids are new. */
function withFirstId(deps: Dependencies, { kind }: AnyCreation, createdId: string): Dependencies {
  let isTaken = false;
  return {
    ...deps,
    newId(wanted) {
      if (wanted !== kind || isTaken) return deps.newId(wanted);
      isTaken = true;
      return createdId;
    },
  };
}
