/** The reasons why a CA gives no certificate, from its problem documents (RFC 8555, section 6.7). */
import { z } from 'zod';
import type { IssuerFailure } from '../issuer-failure.ts';

/** The reason why an order failed. */
export class AcmeFailure extends Error {
  readonly failure: IssuerFailure;

  constructor(failure: IssuerFailure) {
    super(failure.sentence);
    this.failure = failure;
  }
}

const problemSchema = z.object({ type: z.string(), detail: z.string().default('') });
const detailLengthMax = 300;

/** The last part of the problem's type; `undefined` for anything but a problem document. */
export const problemType = (problem: unknown): string | undefined =>
  problemSchema.safeParse(problem).data?.type.replace('urn:ietf:params:acme:error:', '');

/** The failure in a problem document (section 6.7). */
export function failureOf(problem: unknown, retryAfterMs?: number): IssuerFailure {
  const name = problemType(problem) ?? '';
  const { detail = '' } = problemSchema.safeParse(problem).data ?? {};
  const said = shortened(detail || name || 'it gave no reason');
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (name === 'rateLimited') {
    return { kind: 'limited', sentence: `The CA's rate limit is reached: ${said}.`, ...later };
  }
  if (name === 'serverInternal' || name === '') {
    return { kind: 'unreachable', sentence: `The CA reported an internal error: ${said}.`, ...later };
  }
  return { kind: 'refused', sentence: `The CA refused: ${said}.`, ...later };
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replace(/[\s.]+$/, '');
  return line.length > detailLengthMax ? `${line.slice(0, detailLengthMax)} …` : line;
}
