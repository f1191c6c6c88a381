/** All settings of a service: single values by group, traffic rules, files and volumes; and what applies a change. */
import { For, Show } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { ApplyActions } from '../apply-actions.tsx';
import { isDatabase } from '../service-kind.ts';
import { TrafficRules } from '../traffic/traffic-rules.tsx';
import { Files } from './files.tsx';
import { SettingForm } from './setting-form.tsx';
import { settingGroups } from './setting-groups.ts';
import { Volumes } from './volumes.tsx';
import { waitingOf } from './waiting.ts';

export function ServiceSettings(props: { overview: Overview; mayWrite: boolean; mayDeploy: boolean }) {
  const service = () => props.overview.service;
  const isApp = () => !isDatabase(service());
  const runsProgram = () => isApp() && service().runtimeMode !== 'static';
  return (
    <div class="stack settings-room">
      <Waiting overview={props.overview} mayDeploy={props.mayDeploy} />
      <Show when={!props.mayWrite}>
        <p class="quiet-text">{t.serviceSettings.readOnly}</p>
      </Show>
      <For each={settingGroups.filter(({ fits }) => fits(service()))}>
        {(group) => <SettingForm group={group} overview={props.overview} mayWrite={props.mayWrite} />}
      </For>
      <Show when={isApp() && service().runtimeMode !== 'worker'}>
        <TrafficRules serviceId={service().id} mayWrite={props.mayWrite} />
      </Show>
      <Show when={runsProgram()}>
        <Files serviceId={service().id} mayWrite={props.mayWrite} />
        <Volumes overview={props.overview} mayWrite={props.mayWrite} />
      </Show>
    </div>
  );
}

function Waiting(props: { overview: Overview; mayDeploy: boolean }) {
  const files = () => props.overview.pendingFiles;
  const settings = () => waitingOf(props.overview);
  return (
    <Show when={settings() || files().length > 0}>
      <section class="panel attention apply">
        <div>
          <p>
            <strong>{t.serviceSettings.waits}</strong>
          </p>
          <Show when={files().length > 0}>
            <p>
              <code>{files().join(', ')}</code>
            </p>
          </Show>
        </div>
        <Show when={props.mayDeploy}>
          <ApplyActions service={props.overview.service} restart={settings() !== 'deploy'} />
        </Show>
      </section>
    </Show>
  );
}
