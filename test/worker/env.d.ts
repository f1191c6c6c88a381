declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[];
    TEST_RACES: number;
    /** Whether this is `npm run test:all`. */
    TEST_ALL: boolean;
  }
  interface GlobalProps {
    mainModule: typeof import('../../worker/index.ts');
  }
}
