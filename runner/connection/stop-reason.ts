/** The ends of a connection that are permanent; after all others the runner reconnects. */
import { closeCodes } from '../../protocol/enrolment.ts';
import { RunnerError } from '../base/runner-error.ts';
import { sentenceOf } from './register.ts';

export function errorOfClose(code: number, reason: string): RunnerError | undefined {
  const said = reason === '' ? '' : ` (${reason})`;
  switch (code) {
    case closeCodes.unauthenticated:
      return new RunnerError(
        'identity_refused',
        `The control plane does not accept this runner's identity${said}: if its keys were changed, enrol the host again.`,
      );
    case closeCodes.revoked:
      return new RunnerError('revoked', 'This runner was revoked: enrol the host again to use it.');
    case closeCodes.replaced:
      return new RunnerError(
        'replaced',
        `Another process with this runner's identity is connected${said}: this one stops. If this host is a copy of another, enrol it with a data directory of its own.`,
      );
    default:
      return undefined;
  }
}

/**
 * The server answered the upgrade with plain HTTP. Only the control plane's own refusal (401 revoked or 404 unknown; its body has a
 * `code`) is permanent; a gateway's error page is not.
 */
export function errorOfReply(url: string, status: number, body: string): RunnerError | undefined {
  const sentence = sentenceOf(parsed(body));
  if (sentence === undefined || (status !== 401 && status !== 404)) return undefined;
  return new RunnerError('revoked', `${url} refuses this runner: ${sentence}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
