/** The overview of a service: problems, the live version, deployments in progress, and settings. */
import type { Deployment, Overview } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { Age } from '../../ui/age.tsx';
import { isDatabase } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { Attention } from './attention.tsx';
import { AwaitedPush } from './awaited-push.tsx';
import { Connect } from './database/connect.tsx';
import { activeDeployment } from './deployment-facts.ts';
import { DeploymentLine, DeploymentList } from './deployment-list.tsx';
import { Domains } from './domains.tsx';
import { Facts } from './facts.tsx';
import { Figures } from './figures.tsx';

/** Number of deployments in the overview. */
const recentMax = 5;

interface OverviewTabProps {
  overview: Overview;
  mayDeploy: boolean;
  mayWrite: boolean;
}

export function OverviewTab(props: OverviewTabProps) {
  const active = () => activeDeployment(props.overview.deployments);
  const live = () => props.overview.deployments.find(({ status }) => status === 'running');
  return (
    <div class="columns">
      <div class="of-all-columns">
        <Figures service={props.overview.service} />
      </div>
      <div class="stack">
        <Attention overview={props.overview} mayDeploy={props.mayDeploy} mayWrite={props.mayWrite} />
        <AwaitedPush overview={props.overview} mayDeploy={props.mayDeploy} />
        <Show when={active()}>
          {(deployment) => (
            <section class="panel busy">
              <h2>{serviceText.inProgress}</h2>
              <DeploymentLine deployment={deployment()} />
              <Show when={deployment().waitsFor}>{(why) => <p class="quiet-text">{why()}</p>}</Show>
            </section>
          )}
        </Show>
        <section class="panel">
          <h2>{serviceText.live}</h2>
          <Show when={live()} fallback={<NothingLive overview={props.overview} />}>
            {(deployment) => <Live deployment={deployment()} overview={props.overview} />}
          </Show>
        </section>
        <Show when={props.overview.deployments.length > 0}>
          <section class="panel">
            <header>
              <h2>{serviceText.recent}</h2>
              <a href={`/services/${props.overview.service.id}/deployments`}>{serviceText.all}</a>
            </header>
            <DeploymentList
              deployments={props.overview.deployments.slice(0, recentMax)}
              overview={props.overview}
              mayDeploy={props.mayDeploy}
            />
          </section>
        </Show>
      </div>
      <div class="stack">
        <Show when={isDatabase(props.overview.service)}>
          <Connect overview={props.overview} />
        </Show>
        <Domains overview={props.overview} mayWrite={props.mayWrite} />
        <Facts overview={props.overview} mayWrite={props.mayWrite} />
      </div>
    </div>
  );
}

function Live(props: { deployment: Deployment; overview: Overview }) {
  const isUnconfirmed = () => {
    const { reachable, status, localUrl } = props.overview.service;
    return !reachable && status === 'active' && localUrl !== '';
  };
  return (
    <>
      <DeploymentLine deployment={props.deployment} />
      <Show when={props.deployment.finishedAt}>
        {(at) => (
          <p class="quiet-text">
            {serviceText.since} <Age at={at()} />
          </p>
        )}
      </Show>
      <Show when={isUnconfirmed()}>
        <p class="quiet-text">{serviceText.unreachable}</p>
      </Show>
    </>
  );
}

function NothingLive(props: { overview: Overview }) {
  return (
    <Show
      when={props.overview.service.status === 'stopped'}
      fallback={
        <p class="quiet-text">
          {serviceText.nothingLive}. {serviceText.nothingLiveHelp}
        </p>
      }
    >
      <p>
        <Status state="stopped" />
      </p>
    </Show>
  );
}
