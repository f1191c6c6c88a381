/** When a browser that is signed in was last used, and when its session ends. */
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
        {t.operator.ends} {exactTime(props.session.expiresAt)}
      </span>
    </p>
  );
}
