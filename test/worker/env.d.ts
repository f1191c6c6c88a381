declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[];
    TEST_RACES: number;
    /** What test/support/commit-share.ts says; workerd has neither git nor an environment. */
    TEST_EVERYTHING: boolean;
    TEST_COMMIT: number;
  }
  interface GlobalProps {
    mainModule: typeof import('../../worker/index.ts');
  }
}
