/** One channel: its receiver and events, a test, and its messages. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Show } from '../../../ui/show.ts';
import { createTest, TestResult } from '../../../ui/test-result.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { Messages } from './messages.tsx';
import type { Channel } from './notification-queries.ts';

export function ChannelRow(props: { channel: Channel; mayWrite: boolean; onEdit(): void }) {
  const [isOpen, setIsOpen] = createSignal(false);
  const name = () => props.channel.name;
  const params = () => ({ channelId: props.channel.id });
  const renew = () => queries.invalidateQueries({ queryKey: ['channels'] });
  const { result, isTesting, test } = createTest(
    async () =>
      (await api.call('POST /api/notification-channels/:channelId/test', { params: params() })).result,
  );
  const toggle = () =>
    attempt(async () => {
      const body = { enabled: !props.channel.enabled };
      await api.call('PATCH /api/notification-channels/:channelId', { params: params(), body });
      await renew();
    });
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/notification-channels/:channelId', { params: params() });
      say(noticesText.removed(name()));
      await renew();
    });
  return (
    <li>
      <div>
        <p>
          <strong>{name()}</strong> <span class="tag">{noticesText.kinds[props.channel.kind]}</span>{' '}
          <Show when={!props.channel.enabled}>
            <span class="tag waits">{noticesText.off}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{props.channel.target}</code>
          <span>{props.channel.projectId === null ? noticesText.allProjects : noticesText.thisProject}</span>
          <span>{eventsText(props.channel.events)}</span>
          <Show when={props.channel.quietHours}>
            {(quiet) => <span>{noticesText.quietFrom(quiet().from, quiet().to, quiet().timeZone)}</span>}
          </Show>
        </p>
        <TestResult result={result()} />
      </div>
      <div class="actions">
        <Show when={props.mayWrite}>
          <Button
            class="small"
            busy={isTesting()}
            aria-label={noticesText.testLabel(name())}
            onClick={() => void test()}
          >
            {noticesText.test}
          </Button>
          <Button
            class="small"
            aria-label={noticesText.toggleLabel(name(), props.channel.enabled)}
            onClick={() => void toggle()}
          >
            {props.channel.enabled ? noticesText.switchOff : noticesText.switchOn}
          </Button>
        </Show>
        <Button
          class="small"
          aria-expanded={isOpen()}
          aria-label={noticesText.messagesOf(name())}
          onClick={() => setIsOpen((open) => !open)}
        >
          {noticesText.messages}
        </Button>
        <Show when={props.mayWrite}>
          <EditAndRemove
            name={name()}
            removeHelp={noticesText.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
      <Show when={isOpen()}>
        <Messages channelId={props.channel.id} />
      </Show>
    </li>
  );
}

const eventsText = (events: Channel['events']): string =>
  events.some((one) => one === '*') ? noticesText.allEvents : noticesText.someEvents(events.length);
