/** On a terminal, shows the current phase of a deployment in a line below the log, and at the end the time of each phase. */
import type { LogEntry } from '../../client/client.ts';
import { createProgress } from '../base/progress.ts';
import type { Session } from '../session.ts';
import { nextPhase, type Phase, type PhaseName, phaseBars, phaseEnd } from './phases.ts';

const redrawMs = 1_000;

export interface PhaseLine {
  /** Prints a line of the log above the phase line. */
  above(entry: LogEntry, print: (entry: LogEntry) => void): void;
  /** Removes the line. @param summary also print the time of each phase */
  end(summary: boolean): void;
}

/** Draws nothing: for programs, and without a terminal that can redraw. */
const nothing: PhaseLine = { above: (entry, print) => print(entry), end: () => undefined };

/**
 * @param first returns the first phase of the deployment; called only if it is shown
 * @param now a clock in milliseconds, replaced by tests
 */
export function createPhaseLine(
  { output, streams }: Pick<Session, 'output' | 'streams'>,
  first: () => Promise<PhaseName>,
  now = () => performance.now(),
): PhaseLine {
  if (output.json || !streams.stderr.isTTY) return nothing;
  const progress = createProgress(streams);
  const phases: Phase[] = [];
  /** The current phase and its start; undefined after the last phase. */
  let current: { label: string; since: number } | undefined = { label: 'queued', since: now() };
  let begins: PhaseName | undefined;
  void first().then(
    (name) => {
      begins = name;
    },
    () => undefined,
  );
  const draw = () => {
    if (current) progress.show(`${current.label}  ${Math.floor((now() - current.since) / 1000)} s`);
  };
  draw();
  const timer = setInterval(draw, redrawMs);
  timer.unref();
  return {
    above(entry, print) {
      progress.end();
      print(entry);
      const ended = phaseEnd(entry);
      if (ended) {
        phases.push(ended);
        const next = ended.failed ? undefined : nextPhase(ended.name);
        current = next && { label: next, since: now() };
      } else if (current?.label === 'queued') current = { label: begins ?? 'started', since: now() };
      draw();
    },
    end(summary) {
      clearInterval(timer);
      progress.end();
      if (!summary || phases.length === 0) return;
      for (const line of phaseBars(phases, streams.stderr.columns || 80)) output.progress(line);
    },
  };
}
