import type { LogReader } from '../gateways/log-reader.ts';
import { type Call, keyOf } from '../http/route.ts';
import { limitsOfCaller, type TenantOfCaller } from '../usecases/tenant-of-caller.ts';

/** The key that opens a stream of a log, and how many streams of that log it may have open. */
export function readerOf({
  principal,
  read,
}: Pick<Call<unknown, unknown, unknown, TenantOfCaller>, 'principal' | 'read'>): LogReader {
  return { keyId: keyOf(principal).keyId, streamsMax: limitsOfCaller(read).logReadersPerKey };
}
