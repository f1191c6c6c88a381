/** The actions of an explanation as a form and buttons, the one that helps most first. */
import { useNavigate } from '@solidjs/router';
import { createSignal, For } from 'solid-js';
import { renewService } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { BackIcon, DeployIcon, RestartIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { ConfirmRollback } from '../confirm-rollback.tsx';
import { type Action, applierOf, deployAgain, type Failed, restartAgain } from './explained-failure.ts';
import { failureText } from './failure-text.ts';
import { type Change, FixField, nameOf } from './fix-field.tsx';

interface FixActionsProps {
  failed: Failed;
  actions: readonly Action[];
  mayDeploy: boolean;
  mayWrite: boolean;
  /** Whether the page shows the log itself. */
  hasLog: boolean;
}

export function FixActions(props: FixActionsProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = createSignal<'deploy' | 'restart'>();
  const [backTo, setBackTo] = createSignal<string>();
  const serviceId = () => props.failed.serviceId;
  const changes = () =>
    props.mayWrite
      ? props.actions.filter(
          (one): one is Change =>
            one.kind === 'set-variable' || (one.kind === 'setting' && one.field !== 'runnerId'),
        )
      : [];
  const firstName = () => changes().map(nameOf)[0];
  const apply = () => (props.mayDeploy ? applierOf(props.actions) : 'none');
  const has = (kind: Action['kind']) => props.actions.some((one) => one.kind === kind);
  const back = () => props.actions.find((one) => one.kind === 'rollback');
  const isBackFirst = () => back() !== undefined && props.failed.kind === 'crash';
  const again = async (what: 'deploy' | 'restart') => {
    if (busy()) return;
    setBusy(what);
    await attempt(async () => {
      const id = await (what === 'deploy' ? deployAgain : restartAgain)(props.failed);
      navigate(`/deployments/${id}`);
    });
    setBusy(undefined);
    await renewService(serviceId());
  };
  const kindOf = (what: 'deploy' | 'restart') =>
    changes().length === 0 && !isBackFirst() && applierOf(props.actions) === what && props.hasLog
      ? 'primary'
      : 'plain';
  return (
    <div class="fix">
      <Rows each={changes()} by={nameOf}>
        {(change) => (
          <FixField
            failed={props.failed}
            change={change()}
            apply={apply()}
            isFirst={nameOf(change()) === firstName() && !isBackFirst()}
          />
        )}
      </Rows>
      <Show when={has('send-folder')}>
        <p>
          {failureText.sendFolder} <Copyable text="longshore up" what={failureText.command} />
        </p>
      </Show>
      <div class="actions">
        <Show when={props.mayDeploy && back()}>
          {(one) => (
            <Button
              kind={isBackFirst() ? 'primary' : 'plain'}
              icon={BackIcon}
              onClick={() => setBackTo(one().deploymentId)}
            >
              {failureText.rollback}
            </Button>
          )}
        </Show>
        <Show when={props.mayDeploy && has('deploy')}>
          <Button
            kind={kindOf('deploy')}
            icon={DeployIcon}
            busy={busy() === 'deploy'}
            onClick={() => void again('deploy')}
          >
            {failureText.deploy}
          </Button>
        </Show>
        <Show when={props.mayDeploy && has('restart')}>
          <Button
            kind={kindOf('restart')}
            icon={RestartIcon}
            busy={busy() === 'restart'}
            onClick={() => void again('restart')}
          >
            {failureText.restart}
          </Button>
        </Show>
        <For each={linksOf(props)}>
          {({ href, text }) => (
            <a class="button plain" href={href}>
              {text}
            </a>
          )}
        </For>
      </div>
      <Show when={backTo()}>
        {(deploymentId) => (
          <ConfirmRollback
            deploymentId={deploymentId()}
            serviceId={serviceId()}
            onClose={() => setBackTo(undefined)}
          />
        )}
      </Show>
    </div>
  );
}

/** The settings of a build, to which a failed build leads. */
const buildFields = [
  'buildMethod',
  'dockerfilePath',
  'rootDir',
  'installCommand',
  'buildCommand',
  'startCommand',
  'staticOutput',
];

function linksOf({ failed, actions, hasLog }: FixActionsProps): { href: string; text: string }[] {
  const service = `/services/${failed.serviceId}`;
  const found = actions.flatMap((action): { href: string; text: string }[] => {
    switch (action.kind) {
      case 'open-logs':
        return [{ href: logOf(failed, action.of), text: failureText.openLog }];
      case 'open-variables':
        return [{ href: `${service}/variables`, text: failureText.variables }];
      case 'connect': {
        const isKey = action.to === 'deploy-key' || action.to === 'new-deploy-key';
        return [
          { href: isKey ? `${service}/settings` : '/credentials', text: failureText.connect[action.to] },
        ];
      }
      case 'setting':
        return buildFields.includes(action.field)
          ? [{ href: `${service}/settings`, text: failureText.buildSettings }]
          : [];
      case 'run-again':
        return failed.kind === 'run' ? [] : [{ href: `${service}/commands`, text: failureText.runAgain }];
      default:
        return [];
    }
  });
  const own = failed.kind === 'crash' ? `${service}/logs` : logOf(failed, failed.kind);
  const isLog = ({ text }: { text: string }) => text === failureText.openLog;
  const all = hasLog
    ? found.filter((one) => !isLog(one))
    : [{ href: own, text: failureText.openLog }, ...found.filter((one) => !isLog(one))];
  return all.filter((one, index) => all.findIndex(({ text }) => text === one.text) === index);
}

function logOf(failed: Failed, of: 'deployment' | 'run' | 'app'): string {
  if (of === 'app' || failed.kind === 'crash') return `/services/${failed.serviceId}/logs`;
  return of === 'deployment'
    ? `/deployments/${failed.id}`
    : `/services/${failed.serviceId}/commands/${failed.id}`;
}
