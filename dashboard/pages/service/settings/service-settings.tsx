/** All settings of a service: single values by group, traffic rules, files and volumes; and what applies a change. */
import { For } from 'solid-js';
import type { Overview } from '../../../api/queries.ts';
import { serviceSettingsText } from '../../../text/service-settings-text.ts';
import { Rows } from '../../../ui/rows.tsx';
import { isDatabase } from '../../../ui/service-kind.ts';
import { Show } from '../../../ui/show.ts';
import { ApplyActions } from '../apply-actions.tsx';
import { Upgrades } from '../database/upgrades/upgrades.tsx';
import { TrafficRules } from '../traffic/traffic-rules.tsx';
import { Files } from './files.tsx';
import { Place } from './place.tsx';
import { RepositoryAccess } from './repository-access.tsx';
import { filesText } from './resources-text.ts';
import { SettingForm } from './setting-form.tsx';
import { fieldsFor, isGit, pendingText, settingGroups, settingLabel } from './setting-groups.ts';
import { Source } from './source.tsx';
import { Volumes } from './volumes.tsx';

export function ServiceSettings(props: { overview: Overview; mayWrite: boolean; mayDeploy: boolean }) {
  const service = () => props.overview.service;
  const isApp = () => !isDatabase(service());
  const runsProgram = () => isApp() && service().runtimeMode !== 'static';
  return (
    <div class="stack settings-room">
      <Waiting overview={props.overview} mayDeploy={props.mayDeploy} />
      <Show when={!props.mayWrite}>
        <p class="quiet-text">{serviceSettingsText.readOnly}</p>
      </Show>
      <Show when={isApp()}>
        <Source service={service()} mayWrite={props.mayWrite} />
      </Show>
      <For each={settingGroups.filter((group) => fieldsFor(service(), group).length > 0)}>
        {(group) => <SettingForm group={group} overview={props.overview} mayWrite={props.mayWrite} />}
      </For>
      <Show when={!isApp()}>
        <Upgrades overview={props.overview} mayWrite={props.mayWrite} />
      </Show>
      <Show when={isApp() && service().runtimeMode !== 'worker'}>
        <TrafficRules serviceId={service().id} mayWrite={props.mayWrite} />
      </Show>
      <Show when={isGit(service())}>
        <RepositoryAccess service={service()} mayWrite={props.mayWrite} />
      </Show>
      <Show when={runsProgram()}>
        <Files serviceId={service().id} mayWrite={props.mayWrite} />
        <Volumes overview={props.overview} mayWrite={props.mayWrite} />
      </Show>
      <Place overview={props.overview} mayWrite={props.mayWrite} />
    </div>
  );
}

function Waiting(props: { overview: Overview; mayDeploy: boolean }) {
  const files = () => props.overview.pendingFiles;
  const settings = () => props.overview.pendingSettings;
  const needsDeployment = () => settings().some(({ appliedBy }) => appliedBy === 'deployment');
  return (
    <Show when={settings().length + files().length > 0}>
      <section class="panel attention apply">
        <div>
          <p>
            <strong>{serviceSettingsText.waits}</strong>
          </p>
          <ul class="pending-settings">
            <Rows each={settings()} by={({ name }) => name}>
              {(setting) => (
                <li>
                  {settingLabel(setting().name)}: <code>{pendingText(setting().before)}</code>{' '}
                  <span aria-hidden="true">→</span>
                  <span class="visually-hidden">{serviceSettingsText.becomes}</span>{' '}
                  <code>{pendingText(setting().after)}</code>
                </li>
              )}
            </Rows>
          </ul>
          <Show when={files().length > 0}>
            <p>
              {filesText.title}: <code>{files().join(', ')}</code>
            </p>
          </Show>
        </div>
        <Show when={props.mayDeploy}>
          <ApplyActions overview={props.overview} restart={!needsDeployment()} />
        </Show>
      </section>
    </Show>
  );
}
