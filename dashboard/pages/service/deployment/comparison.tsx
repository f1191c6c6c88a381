/** Compares a deployment with an earlier one: commit, image, settings, names of variables, and the duration of each phase. */

import { createSignal, createUniqueId, For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import type { Deployment } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { serviceText, variablesText } from '../../../text/service-text.ts';
import { t } from '../../../text/text.ts';
import { Age, durationText, exactTime } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';
import { comparisonText } from '../comparison-text.ts';
import { titleOf } from '../deployment-facts.ts';
import { ChangedNames } from './changed-names.tsx';
import type { PhaseName } from './phases.ts';

type Data = ReplyOf<'GET /api/deployments/:deploymentId/comparison'>['comparison'];

interface ComparisonProps {
  deployment: Deployment;
  /** The deployments of the service, newest first. */
  others: readonly Deployment[];
}

/** A longer list would not be read. */
const choicesMax = 50;

export function Comparison(props: ComparisonProps) {
  const [other, setOther] = createSignal('');
  const choice = createUniqueId();
  const comparison = useQuery(() => ({
    // Renewed together with its service.
    queryKey: ['service', props.deployment.serviceId, 'comparison', props.deployment.id, other()],
    queryFn: async ({ signal }) => {
      const params = { deploymentId: props.deployment.id };
      const query = other() === '' ? {} : { with: other() };
      const name = 'GET /api/deployments/:deploymentId/comparison';
      return (await api.call(name, { params, query, signal })).comparison;
    },
  }));
  const choices = () => props.others.filter(({ id }) => id !== props.deployment.id).slice(0, choicesMax);
  return (
    <section class="panel comparison">
      <header>
        <h2>{comparisonText.title}</h2>
        <p class="comparison-with">
          <label for={choice}>{comparisonText.with}</label>
          <select id={choice} value={other()} onInput={(event) => setOther(event.currentTarget.value)}>
            <option value="">{comparisonText.liveBefore}</option>
            <For each={choices()}>
              {(one) => <option value={one.id}>{`${titleOf(one)} · ${exactTime(one.createdAt)}`}</option>}
            </For>
          </select>
        </p>
      </header>
      <Show
        when={known(comparison)}
        fallback={
          <p class="quiet-text" role="status">
            {comparison.isError ? sentenceOf(comparison.error) : t.loading}
          </p>
        }
      >
        {(data) => (
          <Show when={data().before} fallback={<p class="quiet-text">{comparisonText.nothingBefore}</p>}>
            {(before) => <Differences data={data()} before={before()} />}
          </Show>
        )}
      </Show>
    </section>
  );
}

function Differences(props: { data: Data; before: Deployment }) {
  const settings = () => props.data.settings ?? [];
  return (
    <div class="stack">
      <table class="rows beside" aria-label={comparisonText.title}>
        <thead>
          <tr>
            <td />
            <th scope="col">
              {comparisonText.before} · <Age at={props.before.createdAt} />
            </th>
            <th scope="col">{comparisonText.after}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{deploymentText.commit}</th>
            <td>
              <Commit deployment={props.before} />
            </td>
            <td>
              <Commit deployment={props.data.after} />
            </td>
          </tr>
          <Show when={props.before.imageTag ?? props.data.after.imageTag}>
            <tr>
              <th scope="row">{serviceText.image}</th>
              <td class="mono">{props.before.imageTag ?? '–'}</td>
              <td>
                <span class="mono">{props.data.after.imageTag ?? '–'}</span>
                <Show when={props.data.isSameImage}>
                  <small class="quiet-text">{comparisonText.sameImage}</small>
                </Show>
              </td>
            </tr>
          </Show>
          <For each={settings()}>
            {({ name, before, after }) => (
              <tr>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td class="mono">{before ?? comparisonText.notSet}</td>
                <td class="mono">{after ?? comparisonText.notSet}</td>
              </tr>
            )}
          </For>
          <For each={props.data.phases}>{(phase) => <PhaseRow {...phase} />}</For>
        </tbody>
      </table>
      <Show when={props.data.settings} fallback={<p class="quiet-text">{comparisonText.notStored}</p>}>
        <Show when={settings().length === 0}>
          <p class="quiet-text">{comparisonText.sameSettings}</p>
        </Show>
      </Show>
      <Show when={props.data.variables}>
        {(names) => (
          <ChangedNames title={variablesText.title} names={names()} none={comparisonText.sameVariables} />
        )}
      </Show>
      <Show when={props.data.files}>
        {(names) => <ChangedNames title={comparisonText.files} names={names()} />}
      </Show>
    </div>
  );
}

function Commit(props: { deployment: Deployment }) {
  return (
    <>
      <a href={`/deployments/${props.deployment.id}`}>{titleOf(props.deployment)}</a>
      <small class="quiet-text">
        <Show when={props.deployment.commitSha}>
          {(sha) => <code title={sha()}>{`${sha().slice(0, 7)} `}</code>}
        </Show>
        {[
          props.deployment.branch,
          props.deployment.commitAuthor && deploymentText.by(props.deployment.commitAuthor),
        ]
          .filter(Boolean)
          .join(' ')}
      </small>
    </>
  );
}

/** A smaller difference does not matter to users. */
const noticedSeconds = 0.5;

function PhaseRow(props: Data['phases'][number]) {
  const text = (seconds: number | null) => (seconds === null ? '–' : durationText(seconds * 1000));
  const change = () => (props.afterSeconds ?? 0) - (props.beforeSeconds ?? 0);
  const isNoticed = () =>
    props.beforeSeconds !== null && props.afterSeconds !== null && Math.abs(change()) >= noticedSeconds;
  return (
    <tr>
      <th scope="row">{deploymentText.phases[props.phase as PhaseName] ?? props.phase}</th>
      <td>{text(props.beforeSeconds)}</td>
      <td>
        {text(props.afterSeconds)}
        <Show when={isNoticed()}>
          <small class="quiet-text">
            {comparisonText.slower(durationText(Math.abs(change()) * 1000), change() > 0)}
          </small>
        </Show>
      </td>
    </tr>
  );
}
