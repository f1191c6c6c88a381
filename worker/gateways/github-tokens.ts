/** Tokens of installations of GitHub Apps in the memory of this isolate, until they expire: no token is stored. */

export interface GitHubToken {
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface GitHubTokens {
  get(name: string): GitHubToken | undefined;
  set(name: string, token: GitHubToken): void;
  /** Removes the tokens of an app; their names begin with its id. */
  forget(appId: string): void;
}

/** An entry has about 200 bytes. Beyond this limit the oldest is removed, and created again when needed. */
const tokensMax = 2_000;

export function createGitHubTokens(): GitHubTokens {
  const tokens = new Map<string, GitHubToken>();
  return {
    get: (name) => tokens.get(name),
    set(name, token) {
      tokens.delete(name);
      tokens.set(name, token);
      const [oldest] = tokens.keys();
      if (tokens.size > tokensMax && oldest !== undefined) tokens.delete(oldest);
    },
    forget(appId) {
      for (const name of tokens.keys()) if (name.startsWith(`${appId} `)) tokens.delete(name);
    },
  };
}
