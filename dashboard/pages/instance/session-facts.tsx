/** The last use of a signed-in browser, and the end of its session. */

import { operatorText } from '../../text/operator-text.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';

export function SessionFacts(props: {
  session: { createdAt: string; lastUsedAt: string | null; expiresAt: string };
}) {
  return (
    <p class="quiet-text facts-line">
      <span>
        {t.settings.lastUsed} <Age at={props.session.lastUsedAt ?? props.session.createdAt} />
      </span>
      <span>
        {operatorText.ends} {exactTime(props.session.expiresAt)}
      </span>
    </p>
  );
}
