/** A page that failed to show. After an update its files may be gone: then only a reload helps. */
import { sentenceOf } from '../api/client.ts';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Show } from '../ui/show.ts';

export function Broken(props: { error: unknown }) {
  console.error(props.error);
  const isUpdate = () => /import|module|fetch/i.test(String(props.error));
  return (
    <div class="empty">
      <h2>{isUpdate() ? t.connection.newVersion : t.errors.title}</h2>
      <Show when={!isUpdate()}>
        <p>{sentenceOf(props.error)}</p>
      </Show>
      <Button kind="primary" onClick={() => location.reload()}>
        {t.connection.reload}
      </Button>
    </div>
  );
}
