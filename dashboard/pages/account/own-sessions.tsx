/** Browsers and command lines that are signed in with the same key or as the same member, and links that can sign in another browser; each can be ended. */
import { api } from '../../api/client.ts';
import { useSessions } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { EndSession } from '../../ui/end-session.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

const namesOf = (makers: readonly { name: string }[]): string => makers.map(({ name }) => name).join(', ');

export function OwnSessions(props: { ofMember: boolean }) {
  const sessions = useSessions();
  const end = (sessionId: string) =>
    attempt(async () => {
      await api.call('DELETE /api/sessions/:sessionId', { params: { sessionId } });
      say(t.settings.ended);
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    });
  return (
    <section class="panel">
      <h2>{t.settings.sessions}</h2>
      <p class="quiet-text">{props.ofMember ? t.settings.ownSessionsHelp : t.settings.sessionsHelp}</p>
      <Answer query={sessions} lines={3}>
        {(all) => (
          <ul class="sessions">
            <Rows each={all().links}>
              {(link) => (
                <li>
                  <span>
                    <strong>{t.settings.openLink(namesOf(link().linkedBy))}</strong>{' '}
                    <small class="quiet-text">{t.settings.openLinkHelp(exactTime(link().expiresAt))}</small>
                  </span>
                  <Button class="small" onClick={() => void end(link().id)}>
                    {t.settings.endLink}
                  </Button>
                </li>
              )}
            </Rows>
            <Rows each={all().sessions.toReversed()}>
              {(session) => (
                <li>
                  <span>
                    <strong>{session().name}</strong>{' '}
                    <Show when={session().kind === 'command-line'}>
                      <span class="tag">{t.settings.commandLine}</span>
                    </Show>
                    <Show when={session().isCurrent}>
                      <span class="tag">{t.settings.current}</span>
                    </Show>
                    <small class="quiet-text">
                      {t.settings.lastUsed} <Age at={session().lastUsedAt ?? session().createdAt} />
                    </small>
                    <Show when={session().linkedBy.length > 0}>
                      <small class="quiet-text">{t.settings.linkedBy(namesOf(session().linkedBy))}</small>
                    </Show>
                  </span>
                  <EndSession session={session()} end={end} />
                </li>
              )}
            </Rows>
          </ul>
        )}
      </Answer>
    </section>
  );
}
