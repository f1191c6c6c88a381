/** The progress of a log drain: sent, dropped and waiting lines, and the last failure. Each host sends its own lines. */
import { drainsText } from '../../../text/drains-text.ts';
import { Age, spanText } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { type HostOfDrain, type LogDrain, useDrainStatus } from './drain-queries.ts';

const texts = drainsText.status;

export function DrainStatus(props: { drain: LogDrain }) {
  const hosts = useDrainStatus(() => props.drain);
  return (
    <div class="drain-status">
      <Answer query={hosts} lines={1}>
        {(all) => (
          <ul>
            <Rows
              each={all()}
              by={({ runnerId }) => runnerId}
              fallback={<li class="quiet-text">{texts.noHosts}</li>}
            >
              {(host) => <OfHost host={host()} isOnly={all().length === 1} />}
            </Rows>
          </ul>
        )}
      </Answer>
      <Refreshed query={hosts} />
    </div>
  );
}

function OfHost(props: { host: HostOfDrain; isOnly: boolean }) {
  const host = () => props.host;
  return (
    <li>
      <Show when={host().trouble === null} fallback={<p class="warning">{host().trouble}</p>}>
        <p class="facts-line">
          <Show when={!props.isOnly}>
            <code>{texts.host(host().runnerId)}</code>
          </Show>
          <span>{texts.sent(host().sentLines)}</span>
          <span class="status" classList={{ 'tone-bad': host().droppedLines > 0 }} title={texts.droppedHelp}>
            {texts.dropped(host().droppedLines)}
          </span>
          <Show when={host().gaps > 0}>
            <span class="status tone-bad" title={texts.gapsHelp}>
              {texts.gaps(host().gaps)}
            </span>
          </Show>
          <span>
            {host().lagSeconds > 0 ? texts.waits(spanText(host().lagSeconds * 1_000)) : texts.nothingWaits}
          </span>
        </p>
        <Show when={host().droppedLines > 0}>
          <p class="quiet-text">{texts.droppedHelp}</p>
        </Show>
        <Show when={host().gaps > 0}>
          <p class="quiet-text">{texts.gapsHelp}</p>
        </Show>
      </Show>
      <Show when={host().lastError}>
        {(why) => (
          <p class="long-text">
            <span class="status tone-bad">
              <span class="dot" aria-hidden="true" />
              {texts.failed}
            </span>{' '}
            {why()}{' '}
            <small class="quiet-text">
              <Show when={host().lastErrorAt}>{(at) => <Age at={at()} />}</Show>
            </small>
          </p>
        )}
      </Show>
    </li>
  );
}
