/** A deployment: its progress, the time of each phase, the reason of a failure, and its live log. */
import { useParams } from '@solidjs/router';
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { useChanges } from '../../../api/changes.ts';
import { followDeployment } from '../../../api/follow.ts';
import { known } from '../../../api/known.ts';
import { mayIn } from '../../../api/may.ts';
import {
  type Deployment as Data,
  renewService,
  type Service,
  useDeployment,
  useKey,
  useOverview,
  useProjects,
} from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { createLogLines, type LogLines } from '../../../log/log-lines.ts';
import { LogView } from '../../../log/log-view.tsx';
import { useUp } from '../../../shell/commands.ts';
import { useProjectHere } from '../../../shell/place.ts';
import { useTitle } from '../../../shell/title.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { serviceText } from '../../../text/service-text.ts';
import { t } from '../../../text/text.ts';
import { Age, durationText, now } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { OutsideLink } from '../../../ui/outside-link.tsx';
import { Show } from '../../../ui/show.ts';
import { Status } from '../../../ui/status.tsx';
import { sayFailure } from '../../../ui/toasts.tsx';
import { doingText, isActive, titleOf, tookMs } from '../deployment-facts.ts';
import { errorLine, failedOf, useExplanation } from '../failure/explained-failure.ts';
import { VersionFacts } from '../version-facts.tsx';
import { Comparison } from './comparison.tsx';
import { DeploymentActions } from './deployment-actions.tsx';
import { Failure } from './failure.tsx';
import { firstPhase } from './first-phase.ts';
import { Health } from './health.tsx';
import { lastPhaseEnd, phasesOf, stepStates, stepsOf } from './phases.ts';
import { Steps } from './steps.tsx';
import './deployment.css';

export function Deployment() {
  const params = useParams<{ deploymentId: string }>();
  const deployment = useDeployment(() => params.deploymentId);
  const overview = useOverview(() => deployment.data?.serviceId ?? '');
  const projects = useProjects();
  const project = () => known(projects)?.find(({ id }) => id === known(overview)?.service.projectId);
  useProjectHere(() => known(overview)?.service.projectId);
  useChanges(() => overview.data?.service.projectId);
  useUp(() => (deployment.data ? `/services/${deployment.data.serviceId}` : undefined));
  useTitle(() => deployment.data && `${titleOf(deployment.data)} · ${overview.data?.service.name ?? ''}`);
  return (
    <div class="deployment-page">
      <nav class="crumbs" aria-label={t.nav.crumbs}>
        <a href="/">{t.nav.projects}</a>
        <Show when={project()}>{(one) => <a href={`/projects/${one().slug}`}>{one().name}</a>}</Show>
        <Show when={overview.data}>
          {(data) => (
            <>
              <a href={`/services/${data().service.id}`}>{data().service.name}</a>
              <a href={`/services/${data().service.id}/deployments`}>{serviceText.tabs.deployments}</a>
            </>
          )}
        </Show>
      </nav>
      <Answer query={deployment}>
        {(data) => (
          <Page
            deployment={data()}
            isLive={data().id === liveId(overview.data?.deployments)}
            projectId={known(overview)?.service.projectId}
            service={known(overview)?.service}
            others={known(overview)?.deployments ?? []}
          />
        )}
      </Answer>
    </div>
  );
}

const liveId = (deployments: readonly Data[] | undefined) =>
  deployments?.find(({ status }) => status === 'running')?.id;

interface PageProps {
  deployment: Data;
  projectId: string | undefined;
  service: Service | undefined;
  isLive: boolean;
  others: readonly Data[];
}

function Page(props: PageProps) {
  const key = useKey();
  const { lines, isOpen } = useLog(() => props.deployment);
  const first = () => firstPhase(props.deployment, props.service);
  const explanation = useExplanation(() =>
    props.deployment.status === 'failed' ? failedOf(props.deployment) : undefined,
  );
  const clock = useSeconds(() => isActive(props.deployment));
  const phases = createMemo(() => {
    const all = lines().all();
    // The state on a disconnected host is unknown.
    const isKnown = isActive(props.deployment) && props.deployment.waitsFor === null;
    const from = isKnown ? lastPhaseEnd(all) : undefined;
    const runningMs = from === undefined ? undefined : Math.max(0, clock() - Date.parse(from));
    return phasesOf(all, runningMs, first());
  });
  const steps = createMemo(() => stepsOf(lines().all(), first()));
  const [step, setStep] = createSignal('');
  const previousId = () =>
    props.others.find(({ status, trigger }) => status === 'superseded' && trigger !== 'restart')?.id;
  return (
    <>
      <header class="page-head">
        <div>
          <h1>
            {titleOf(props.deployment)}{' '}
            <Status state={props.deployment.status} text={doingText(props.deployment, props.service)} large />
          </h1>
          <p class="quiet-text facts-line">
            <VersionFacts deployment={props.deployment} repoUrl={props.service?.repoUrl} />
            <Age at={props.deployment.createdAt} />
            <Show when={tookMs(props.deployment)}>
              {(ms) => <span>{`${deploymentText.took} ${durationText(ms())}`}</span>}
            </Show>
          </p>
        </div>
        <Show when={props.isLive ? props.service?.primaryUrl : undefined}>
          {(url) => (
            <OutsideLink class="button plain" href={url()}>
              {deploymentText.openSite}
            </OutsideLink>
          )}
        </Show>
        <Show when={mayIn(key.data, props.projectId, 'deploy')}>
          <DeploymentActions
            deployment={props.deployment}
            isLive={props.isLive}
            isNewest={props.others[0]?.id === props.deployment.id}
          />
        </Show>
      </header>
      <Show when={props.deployment.waitsFor}>{(why) => <p class="notice">{why()}</p>}</Show>
      <Show when={props.deployment.status === 'failed'}>
        <Failure
          deployment={props.deployment}
          query={explanation}
          mayDeploy={mayIn(key.data, props.projectId, 'deploy')}
          mayWrite={mayIn(key.data, props.projectId, 'write')}
        />
      </Show>
      <Show when={props.isLive && props.deployment.trigger !== 'restart'}>
        <Health
          deployment={props.deployment}
          previousId={mayIn(key.data, props.projectId, 'deploy') ? previousId() : undefined}
        />
      </Show>
      <div class="story">
        <Steps
          steps={stepStates(phases(), first(), endOf(props.deployment))}
          withLines={new Set(steps().map(({ name }) => name))}
          chosen={step()}
          onChoose={setStep}
        />
        <LogView
          lines={lines()}
          isLive={isActive(props.deployment)}
          isOpen={isOpen()}
          name={props.deployment.id}
          label="number"
          steps={steps()}
          step={step()}
          onStep={setStep}
          openAt={errorLine(explanation.data)}
        />
      </div>
      <Comparison deployment={props.deployment} others={props.others} />
    </>
  );
}

function endOf(deployment: Data): 'open' | 'succeeded' | 'failed' {
  if (isActive(deployment)) return 'open';
  return ['running', 'superseded'].includes(deployment.status) ? 'succeeded' : 'failed';
}

/** Reads the log of a deployment from its stream. For an ended deployment, the stream sends all lines and closes. */
function useLog(deployment: () => Data) {
  const [lines, setLines] = createSignal<LogLines>(createLogLines());
  const [isOpen, setIsOpen] = createSignal(false);
  const id = createMemo(() => deployment().id);
  createEffect(
    on(id, (deploymentId) => {
      const log = createLogLines();
      setLines(log);
      const stop = new AbortController();
      onCleanup(() => stop.abort());
      const renew = () => {
        void queries.invalidateQueries({ queryKey: ['deployment', deploymentId] });
        void renewService(deployment().serviceId);
      };
      let hasBegun = false;
      void followDeployment(
        deploymentId,
        {
          onLines(more) {
            log.add(more);
            if (!hasBegun && more.length > 0 && deployment().status === 'queued') renew();
            hasBegun ||= more.length > 0;
          },
          onEnd: () => isActive(deployment()) && renew(),
          onRefusal: sayFailure,
          onOpen: setIsOpen,
        },
        stop.signal,
      );
    }),
  );
  return { lines, isOpen };
}

const tickMs = 500;

/** The time, updated several times a second while it is needed. */
function useSeconds(isNeeded: () => boolean): () => number {
  const [time, setTime] = createSignal(Date.now());
  createEffect(() => {
    if (!isNeeded()) return;
    const timer = setInterval(() => setTime(Date.now()), tickMs);
    onCleanup(() => clearInterval(timer));
  });
  return () => Math.max(time(), now());
}
