/** Outside services that this instance uses: language models that explain failures, and DNS providers. */

import { t } from '../../../text/text.ts';
import { useTitle } from '../../title.ts';
import { AiProviders } from './ai-providers.tsx';
import { DnsProviders } from './dns-providers.tsx';

export function Connections() {
  useTitle(() => t.connections.title);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.connections.title}</h1>
          <p class="quiet-text">{t.connections.help}</p>
        </div>
      </header>
      <AiProviders />
      <DnsProviders />
    </div>
  );
}
