import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { LoadedData } from '../../engines/archive/archive.ts';
import type { DataAttempt } from './data-attempt.ts';
import { type Exchange, endExchange } from './end-exchange.ts';

/**
 * The commit point of a restore or an import: asks for the permission, then lets what was loaded take the place of the live data.
 * @throws JobFailure `switch_denied`, and what `endExchange` throws; the signal's reason
 */
export async function exchangeData(
  { context, enter, place }: DataAttempt,
  loaded: Pick<LoadedData, 'swap'>,
  end: Exchange['end'],
): Promise<void> {
  if (!(await context.requestSwitch())) {
    place.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission for the exchange; nothing was changed.',
    );
  }
  enter('switch');
  crashPoint('switch:permitted');
  await endExchange({ swap: () => loaded.swap(), end, say: (line) => context.log.line('system', line) });
  crashPoint('switch:moved');
}
