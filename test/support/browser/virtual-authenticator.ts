/** A device with passkeys for a page, simulated by the browser (https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/). */
import type { Page } from 'playwright-core';

export interface VirtualAuthenticator {
  /** The number of its passkeys. */
  count(): Promise<number>;
  /** Whether a person touches the device at each later request. Waiting requests are not answered. */
  answers(isTouched: boolean): Promise<void>;
}

export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    answers: async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    count: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  };
}
