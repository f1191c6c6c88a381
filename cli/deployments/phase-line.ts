/** On a terminal, a line below the log says what a deployment does; at its end, where the time went. */
import type { LogEntry } from '../../client/client.ts';
import { createProgress } from '../base/progress.ts';
import type { Session } from '../session.ts';
import { nextPhase, type Phase, type PhaseName, phaseBars, phaseEnd } from './phases.ts';

const redrawMs = 1_000;

export interface PhaseLine {
  /** Prints a line of the log above. */
  above(entry: LogEntry, print: (entry: LogEntry) => void): void;
  /** Removes the line. @param summary also prints where the time went */
  end(summary: boolean): void;
}

/** Nothing is drawn for a program, nor where nobody sees it redrawn. */
const nothing: PhaseLine = { above: (entry, print) => print(entry), end: () => undefined };

/**
 * @param first the phase with which the deployment begins, asked for only if it is shown
 * @param now milliseconds of a clock, replaced by tests
 */
export function createPhaseLine(
  { output, streams }: Pick<Session, 'output' | 'streams'>,
  first: () => Promise<PhaseName>,
  now = () => performance.now(),
): PhaseLine {
  if (output.json || !streams.stderr.isTTY) return nothing;
  const progress = createProgress(streams);
  const phases: Phase[] = [];
  /** What goes on, and since when; undefined after the last phase. */
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
