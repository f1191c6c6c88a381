/** Identity providers of the instance: list, connect, change, test, remove. */
import { createSignal } from 'solid-js';
import { usePageCommands } from '../../../shell/commands.ts';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { EditProvider } from './edit-provider.tsx';
import { ProviderRow } from './provider-row.tsx';
import { type Provider, useProviders } from './source.ts';

export function Providers() {
  const providers = useProviders();
  const [edited, setEdited] = createSignal<Provider | 'new'>();
  usePageCommands(() => [{ label: t.providers.add, run: () => setEdited('new') }]);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.providers.title}</h1>
          <p class="quiet-text">{t.providers.help}</p>
        </div>
        <div class="actions">
          <Button kind="primary" icon={PlusIcon} onClick={() => setEdited('new')}>
            {t.providers.add}
          </Button>
        </div>
      </header>
      <Answer query={providers}>
        {(all) => (
          <ul class="lines">
            <Rows
              each={all()}
              fallback={<Empty title={t.providers.none} help={t.providers.noneHelp} inList />}
            >
              {(provider) => <ProviderRow provider={provider()} onEdit={() => setEdited(provider())} />}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(one) => (
          <EditProvider provider={one === 'new' ? undefined : one} onClose={() => setEdited(undefined)} />
        )}
      </Show>
    </div>
  );
}
