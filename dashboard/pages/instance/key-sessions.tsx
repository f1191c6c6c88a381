/** The browsers that signed in with a key, with a button to end each session. */

import { isOperator, operatorApi } from '../../api/operator.ts';
import { useQuery } from '../../api/use-query.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EndSession } from '../../ui/end-session.tsx';
import { Rows } from '../../ui/rows.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { keySessionsText } from './instance-care-text.ts';
import { type ApiKey, renew } from './instance-queries.ts';
import { SessionFacts } from './session-facts.tsx';

export function KeySessions(props: { apiKey: ApiKey; onClose(): void }) {
  const sessions = useQuery(() => ({
    queryKey: ['operator', 'key-sessions', props.apiKey.id],
    enabled: isOperator(),
    queryFn: async ({ signal }) => {
      const params = { keyId: props.apiKey.id };
      return (await operatorApi.call('GET /api/system/keys/:keyId/sessions', { params, signal })).sessions;
    },
  }));
  const end = (sessionId: string) =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/sessions/:sessionId', { params: { sessionId } });
      say(t.settings.ended);
      await renew('key-sessions');
    });
  return (
    <Dialog title={keySessionsText.openLabel(props.apiKey.name)} wide onClose={props.onClose}>
      <p class="quiet-text">{keySessionsText.help}</p>
      <Answer query={sessions} lines={2}>
        {(all) => (
          <ul class="lines">
            <Rows
              each={all().toReversed()}
              fallback={<Empty title={keySessionsText.none} help={keySessionsText.noneHelp} inList />}
            >
              {(session) => (
                <li>
                  <div>
                    <p>
                      <strong>{session().name}</strong>
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
    </Dialog>
  );
}
