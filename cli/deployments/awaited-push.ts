/** Pushes that wait for the checks of their commits. */
import { LongshoreError, type Routes } from '../../client/client.ts';
import type { Session } from '../session.ts';

type Route = 'GET /api/services/:serviceId/awaited-push';
export type AwaitedPush = NonNullable<Routes[Route]['reply']['awaitedPush']>;

/** @returns null without one, also from a control plane of an earlier version, which has no such pushes */
export async function readAwaitedPush(
  client: Session['client'],
  serviceId: string,
): Promise<AwaitedPush | null> {
  try {
    const name = 'GET /api/services/:serviceId/awaited-push';
    return (await client.call(name, { params: { serviceId } })).awaitedPush ?? null;
  } catch (error) {
    if (error instanceof LongshoreError && error.status === 404) return null;
    throw error;
  }
}

/** A sentence with the ways out. */
export function awaitedPushText({ commitSha, detail }: AwaitedPush, service: string): string {
  const ways = `To deploy it now: longshore deploy ${service} --ref ${commitSha}. Not to: longshore abort ${service}`;
  return `Push ${commitSha.slice(0, 7)}: ${detail ?? 'Waits for the checks of its commit.'} ${ways}`;
}
