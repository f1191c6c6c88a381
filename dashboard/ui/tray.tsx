/** What this tab has started, until it has ended: in progress with its time, live, or failed with the way to the cause. */
import { createSignal, onCleanup } from 'solid-js';
import { dismiss, isOver, isWell } from '../api/started.ts';
import { type Started, started } from '../api/started-list.ts';
import { t } from '../text/text.ts';
import { durationText } from './age.tsx';
import { CloseIcon } from './icons.tsx';
import { canNotify, isWanted, want } from './notice-of-end.ts';
import { Rows } from './rows.tsx';
import { Show } from './show.ts';
import { trayText } from './tray-text.ts';

const tickMs = 100;

export function Tray() {
  return (
    <Rows each={started()} by={({ deployment }) => deployment.id}>
      {(one) => <Entry one={one()} />}
    </Rows>
  );
}

function Entry(props: { one: Started }) {
  const deployment = () => props.one.deployment;
  const what = () => trayText.doing(deployment(), props.one.serviceName);
  const text = () => {
    if (!isOver(deployment())) return what();
    if (isWell(deployment())) return trayText.live(props.one.serviceName);
    return deployment().status === 'aborted' ? trayText.aborted(what()) : trayText.failed(what());
  };
  const link = () => {
    if (!isOver(deployment())) return trayText.follow;
    return deployment().status === 'failed' ? trayText.why : trayText.open;
  };
  const isFailure = () => isOver(deployment()) && !isWell(deployment());
  return (
    <div class="toast tray" classList={{ failure: isFailure(), 'is-over': isOver(deployment()) }}>
      <p>
        {text()} <Took one={props.one} />
      </p>
      <span class="tray-actions">
        <Show when={!isOver(deployment()) && canNotify() && !isWanted()}>
          <button
            type="button"
            class="button small quiet"
            title={trayText.notifyHelp}
            onClick={() => void want(true)}
          >
            {trayText.notify}
          </button>
        </Show>
        <a class="button small" href={`/deployments/${deployment().id}`}>
          {link()}
        </a>
        <button
          type="button"
          class="button quiet small"
          aria-label={t.close}
          onClick={() => dismiss(deployment().id)}
        >
          <CloseIcon />
        </button>
      </span>
    </div>
  );
}

/** Not read aloud: it changes all the time. */
function Took(props: { one: Started }) {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), tickMs);
  onCleanup(() => clearInterval(timer));
  const ms = () => (props.one.endedAt ?? Math.max(now(), props.one.startedAt)) - props.one.startedAt;
  return (
    <span class="quiet-text" aria-hidden="true">
      {durationText(ms())}
    </span>
  );
}
