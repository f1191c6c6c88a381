/** The messages of a channel: sent ones, waiting ones, and why they wait. */
import { noticesText } from '../../../text/notices-text.ts';
import { Age, exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { useMessages } from './notification-queries.ts';

const tones = { none: 'tone-off', pending: 'tone-busy', delivered: 'tone-ok', undelivered: 'tone-bad' };

export function Messages(props: { channelId: string }) {
  const messages = useMessages(() => props.channelId);
  return (
    <div class="messages">
      <p class="quiet-text">
        {noticesText.messagesHelp} <Refreshed query={messages} />
      </p>
      <Answer query={messages} lines={1}>
        {(all) => (
          <ul>
            <Rows
              each={all()}
              by={({ eventId }) => eventId}
              fallback={<li class="quiet-text">{noticesText.noMessages}</li>}
            >
              {(message) => (
                <li>
                  <span class={`status ${tones[message().delivery]}`}>
                    <span class="dot" aria-hidden="true" />
                    {noticesText.deliveries[message().delivery]}
                  </span>
                  <span class="long-text">
                    {message().summary}
                    <Show when={message().lastFailure}>
                      {(why) => <small class="field-failure">{why()}</small>}
                    </Show>
                    <Show when={message().nextAttemptAt}>
                      {(at) => (
                        <small class="quiet-text">
                          {noticesText.nextAttempt(exactTime(at()), message().attempts)}
                        </small>
                      )}
                    </Show>
                  </span>
                  <span class="quiet-text">
                    <Age at={message().createdAt} />
                  </span>
                </li>
              )}
            </Rows>
          </ul>
        )}
      </Answer>
    </div>
  );
}
