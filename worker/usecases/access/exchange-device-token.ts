/** What a device gets for its device token: it waits, or it gets a token for requests and the next device token. */

import {
  deviceIntervalSeconds,
  deviceSessionDays,
  deviceSessionIdleDays,
  deviceTokenMinutes,
} from '../../domain/access/devices.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken, isValidToken, readToken } from '../../security/api-token.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import {
  type DeviceTokenRow,
  endCopied,
  findDeviceToken,
  notePoll,
  renewDevice,
} from '../../store/access/device-store.ts';
import type { Dependencies } from '../dependencies.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Devices wait by their own clock: an answer may come a little early. */
const toleranceMs = 1_000;

export type Exchanged =
  | { state: 'waiting' }
  | { state: 'signed-in'; session: ApiKeyRow; token: string; expiresInSeconds: number; deviceToken: string };

/**
 * @param copied called if the session was ended because there is a copy of its device token
 * @throws ApiError `unauthenticated` for an unknown, expired or ended sign-in; `forbidden` if a member denied it; `rate_limited`
 */
export async function exchangeDeviceToken(
  deps: Dependencies,
  deviceToken: string,
  copied: (session: ApiKeyRow) => void,
): Promise<Exchanged> {
  const presented = readToken(deviceToken);
  const found = presented && (await findDeviceToken(deps.db, presented.tokenId));
  const isValid = presented && (await isValidToken(presented, found?.device.secretHash ?? null));
  if (!found || !isValid) throw ended();
  const { device, session } = found;
  if (!session) return wait(deps, device);
  const now = deps.now();
  const { token, record } = await issueToken(deps.fillRandom, deps.cell, session.tokenId);
  const next = await issueToken(deps.fillRandom, deps.cell);
  const isRenewed = await renewDevice(
    deps.db,
    device.tokenId,
    {
      ...{ sessionId: session.id, secretHash: record.secretHash, next: next.record },
      tokenUntil: now + deviceTokenMinutes * minuteMs,
      expiresAt: Math.min(now + deviceSessionIdleDays * dayMs, session.createdAt + deviceSessionDays * dayMs),
    },
    now,
  );
  if (!isRenewed) {
    if (device.usedAt === null || session.revokedAt !== null) throw ended();
    await endCopied(deps.db, session, now);
    copied(session);
    throw usedTwice();
  }
  return {
    ...{ state: 'signed-in', session, token, deviceToken: next.token },
    expiresInSeconds: deviceTokenMinutes * 60,
  };
}

async function wait({ db, now }: Dependencies, device: DeviceTokenRow): Promise<Exchanged> {
  const time = now();
  if (device.deniedAt !== null) throw new ApiError('forbidden', 'The sign-in was denied in the browser.');
  if ((device.expiresAt ?? 0) <= time)
    throw new ApiError('unauthenticated', 'Nobody entered the code in time, so it has expired: start again.');
  if (device.polledAt !== null && time - device.polledAt < deviceIntervalSeconds * 1_000 - toleranceMs)
    throw new ApiError('rate_limited', 'The device asks too often: ask again after the interval.', {
      retryAfterSeconds: deviceIntervalSeconds,
    });
  await notePoll(db, device.tokenId, time);
  return { state: 'waiting' };
}

const ended = () =>
  new ApiError('unauthenticated', 'This sign-in of a command line has ended: sign in again.');

const usedTwice = () =>
  new ApiError(
    'unauthenticated',
    'This device token was used before, so somebody may have a copy of it. The sign-in has been ended: sign in again.',
  );
