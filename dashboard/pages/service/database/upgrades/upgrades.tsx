/** The version of a database: the current one, upgrades to a later one with their progress, and the undo while it is possible. */
import { createSignal, For } from 'solid-js';
import { api } from '../../../../api/client.ts';
import { known } from '../../../../api/known.ts';
import type { Overview } from '../../../../api/queries.ts';
import { usePageCommands } from '../../../../shell/commands.ts';
import { exactTime } from '../../../../ui/age.tsx';
import { Answer } from '../../../../ui/answer.tsx';
import { Button } from '../../../../ui/button.tsx';
import { sourceText } from '../../../../ui/service-kind.ts';
import { Show } from '../../../../ui/show.ts';
import { attempt, say } from '../../../../ui/toasts.tsx';
import { TypeName } from '../../../../ui/type-name.tsx';
import { StartUpgrade } from './start-upgrade.tsx';
import { UpgradeLine } from './upgrade-line.tsx';
import { renewUpgrades, type Upgrade, useUpgrades } from './upgrade-queries.ts';
import { upgradesText } from './upgrades-text.ts';

export function Upgrades(props: { overview: Overview; mayWrite: boolean }) {
  const service = () => props.overview.service;
  const upgrades = useUpgrades(() => service().id);
  const [isStarting, setIsStarting] = createSignal(false);
  const [isUndoing, setIsUndoing] = createSignal(false);
  const newest = () => known(upgrades)?.upgrades[0];
  const isRunning = () => newest()?.status === 'running';
  const mayStart = () => props.mayWrite && known(upgrades) !== undefined && !isRunning();
  /** The image of the last action, if that was a successful trial. */
  const tried = () => {
    const last = newest();
    return last?.action === 'dry-run' && last.status === 'succeeded' ? last.toImage : undefined;
  };
  const lastUpgrade = (all: readonly Upgrade[]) =>
    all.find(({ action, status }) => action === 'upgrade' && status === 'succeeded');
  const call = (route: 'abort' | 'undo', sentence: string) =>
    attempt(async () => {
      const params = { serviceId: service().id };
      if (route === 'abort')
        await api.call('POST /api/services/:serviceId/database/upgrade/abort', { params });
      else await api.call('POST /api/services/:serviceId/database/upgrade/undo', { params });
      say(sentence);
      await renewUpgrades(service().id);
    });
  usePageCommands(() => (mayStart() ? [{ label: upgradesText.open, run: () => setIsStarting(true) }] : []));
  return (
    <section class="panel upgrades">
      <header>
        <h2>{upgradesText.title}</h2>
        <Show when={mayStart()}>
          <Button class="small" onClick={() => setIsStarting(true)}>
            {upgradesText.open}
          </Button>
        </Show>
      </header>
      <p>
        {upgradesText.runs} <code>{sourceText(service())}</code>
      </p>
      <Answer query={upgrades} lines={1}>
        {(data) => (
          <>
            <Show when={data().undoableUntil}>
              {(until) => (
                <div class="undo-upgrade">
                  <p>{upgradesText.undoUntil(exactTime(until()))}</p>
                  <Show when={mayStart()}>
                    <Button class="small" onClick={() => setIsUndoing(true)}>
                      {upgradesText.undo}
                    </Button>
                  </Show>
                </div>
              )}
            </Show>
            <ul class="lines">
              <For each={data().upgrades} fallback={<li class="quiet-text">{upgradesText.none}</li>}>
                {(one) => (
                  <UpgradeLine
                    upgrade={one}
                    mayWrite={props.mayWrite}
                    onAbort={() => void call('abort', upgradesText.aborted)}
                  />
                )}
              </For>
            </ul>
            <Show when={isUndoing()}>
              <TypeName
                title={upgradesText.undoTitle(service().name)}
                help={upgradesText.undoHelp(lastUpgrade(data().upgrades)?.fromImage ?? '')}
                name={service().name}
                submit={upgradesText.undo}
                onClose={() => setIsUndoing(false)}
                onConfirm={() => void call('undo', upgradesText.undoStarted)}
              />
            </Show>
          </>
        )}
      </Answer>
      <Show when={isStarting()}>
        <StartUpgrade service={service()} tried={tried()} onClose={() => setIsStarting(false)} />
      </Show>
    </section>
  );
}
