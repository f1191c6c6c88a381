/**
 * Settings that were saved in this browser and reach the live version with the next restart or deployment. The API tells it of variables and
 * files only, so this browser remembers the deployment that was the newest when something was saved.
 */
import { createSignal } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { keptPrefix } from '../../api/session.ts';
import type { Applies } from './setting-groups.ts';

interface Waiting {
  /** The newest deployment when it was saved. */
  deploymentId: string;
  applies: Exclude<Applies, 'now'>;
}

const keyOf = (overview: Overview) => `${keptPrefix}settings-${overview.service.id}`;
const newestOf = (overview: Overview) => overview.deployments[0]?.id ?? '';
const [noted, setNoted] = createSignal(0);

/** Remembers that saved settings wait. */
export function noteWaiting(overview: Overview, applies: Applies): void {
  if (applies === 'now') return;
  const known = waitingOf(overview);
  const waiting: Waiting = {
    deploymentId: newestOf(overview),
    applies: known === 'deploy' ? known : applies,
  };
  localStorage.setItem(keyOf(overview), JSON.stringify(waiting));
  setNoted((n) => n + 1);
}

/** @returns with what the saved settings apply; undefined: nothing waits */
export function waitingOf(overview: Overview): Waiting['applies'] | undefined {
  noted();
  if (!overview.deployments.some(({ status }) => status === 'running')) return undefined;
  try {
    const kept: Partial<Waiting> | null = JSON.parse(localStorage.getItem(keyOf(overview)) ?? 'null');
    return kept?.deploymentId === newestOf(overview) ? kept.applies : undefined;
  } catch {
    return undefined;
  }
}
