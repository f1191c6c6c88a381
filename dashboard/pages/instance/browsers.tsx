/** Browsers in which the operator is signed in, with a button to end each session. */
import { operatorApi } from '../../api/operator.ts';
import { operatorText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { EndSession } from '../../ui/end-session.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { renew, useOperatorSessions } from './instance-queries.ts';
import { SessionFacts } from './session-facts.tsx';

export function Browsers(props: { onSignOut(): void }) {
  const sessions = useOperatorSessions();
  const end = (sessionId: string) =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/sessions/:sessionId', { params: { sessionId } });
      say(t.settings.ended);
      await renew('sessions');
    });
  return (
    <div class="stack narrow">
      <header class="page-head">
        <div>
          <h1>{operatorText.browsersTitle}</h1>
          <p class="quiet-text">{operatorText.browsersHelp}</p>
        </div>
        <Button onClick={props.onSignOut}>{operatorText.signOut}</Button>
      </header>
      <Answer query={sessions}>
        {(all) => (
          <ul class="lines">
            <Rows each={all().toReversed()}>
              {(session) => (
                <li>
                  <div>
                    <p>
                      <strong>{session().name}</strong>{' '}
                      <Show when={session().isCurrent}>
                        <span class="tag">{t.settings.current}</span>
                      </Show>
                    </p>
                    <SessionFacts session={session()} />
                  </div>
                  <EndSession session={session()} end={end} />
                </li>
              )}
            </Rows>
          </ul>
        )}
      </Answer>
    </div>
  );
}
