/** Outside services that this instance uses: language models that explain failures, and DNS providers. */

import { useTitle } from '../../../shell/title.ts';
import { AiProviders } from './ai-providers.tsx';
import { connectionsText } from './connections-text.ts';
import { DnsProviders } from './dns-providers.tsx';

export function Connections() {
  useTitle(() => connectionsText.title);
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{connectionsText.title}</h1>
          <p class="quiet-text">{connectionsText.help}</p>
        </div>
      </header>
      <AiProviders />
      <DnsProviders />
    </div>
  );
}
