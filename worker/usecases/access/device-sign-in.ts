/** Sign-in of a command line: the device asks, and a member allows or denies it in a browser (domain/access/devices). */

import {
  deviceCodeMinutes,
  deviceIntervalSeconds,
  newUserCode,
  shownUserCode,
  waitingDevicesMax,
} from '../../domain/access/devices.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import {
  type DeviceTokenRow,
  decideDevice,
  findWaitingDevice,
  insertWaitingDevice,
} from '../../store/access/device-store.ts';
import type { DeviceDescription } from '../../store/schema/device-tokens.ts';
import type { Dependencies } from '../dependencies.ts';
import { endSession, openDeviceSession, type Permitting } from './sessions.ts';

const minuteMs = 60_000;

export interface StartedDevice {
  deviceToken: string;
  userCode: string;
  expiresAt: number;
  intervalSeconds: number;
}

/** Stores the request of a device. Only hashes of its two secrets are stored. @throws ApiError `rate_limited` */
export async function startDeviceSignIn(
  { db, now, fillRandom, cell, fingerprint }: Dependencies,
  device: DeviceDescription,
  address: string,
): Promise<StartedDevice> {
  const { token, record } = await issueToken(fillRandom, cell);
  const code = newUserCode(fillRandom);
  const createdAt = now();
  const expiresAt = createdAt + deviceCodeMinutes * minuteMs;
  const row = {
    ...{ ...record, device, address, createdAt, expiresAt },
    userCodeHash: await fingerprint('device-code', code),
  };
  if (!(await insertWaitingDevice(db, row, waitingDevicesMax))) throw tooMany();
  return {
    ...{ deviceToken: token, userCode: shownUserCode(code), expiresAt },
    intervalSeconds: deviceIntervalSeconds,
  };
}

type Finds = Pick<Dependencies, 'db' | 'now' | 'fingerprint'>;

/** The request that waits with a code. @throws ApiError `not_found`, the same for a wrong, used and expired code */
export async function waitingDevice({ db, now, fingerprint }: Finds, code: string): Promise<DeviceTokenRow> {
  const found = await findWaitingDevice(db, await fingerprint('device-code', code), now());
  if (found) return found;
  throw noSuchCode();
}

/**
 * Opens a session of the member for the device. It has no token before the device asks again.
 * @param permit the member's browser
 * @throws ApiError `not_found`; `unauthenticated` if the browser's session has ended since
 */
export async function allowDevice(deps: Dependencies, permit: Permitting | undefined, code: string) {
  const { device } = await waitingDevice(deps, code);
  const session = await openDeviceSession(deps, permit, device?.name ?? 'Command line');
  const hash = await deps.fingerprint('device-code', code);
  if (await decideDevice(deps.db, hash, { sessionId: session.id }, deps.now())) return session;
  await endSession(deps, session.id);
  throw noSuchCode();
}

/** @throws ApiError `not_found` */
export async function denyDevice({ db, now, fingerprint }: Finds, code: string): Promise<void> {
  const hash = await fingerprint('device-code', code);
  if (!(await decideDevice(db, hash, { deniedAt: now() }, now()))) throw noSuchCode();
}

const noSuchCode = () =>
  new ApiError(
    'not_found',
    `No command line waits with this code. Compare it with the one in your terminal: a code works once, within ${deviceCodeMinutes} minutes.`,
  );

const tooMany = () =>
  new ApiError('rate_limited', 'Too many command lines wait for a sign-in: try again in a minute.', {
    retryAfterSeconds: 60,
  });
