import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { LoadedData } from '../../engines/archive/archive.ts';
import type { DataAttempt } from './data-attempt.ts';
import { finishSwap, type Swap } from './finish-swap.ts';

/**
 * The commit point of a restore or an import: asks for permission, then replaces the live data with the loaded data.
 * @throws JobFailure `switch_denied`, and what `finishSwap` throws; the signal's reason
 */
export async function swapData(
  { context, enter }: Pick<DataAttempt, 'context' | 'enter'>,
  loaded: Pick<LoadedData, 'swap'>,
  end: Swap['end'],
): Promise<void> {
  if (!(await context.requestSwitch())) {
    context.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission for the swap of the data; nothing was changed.',
    );
  }
  enter('switch');
  crashPoint('switch:permitted');
  await finishSwap({ swap: () => loaded.swap(), end, say: (line) => context.log.line('system', line) });
  crashPoint('switch:moved');
}
