import { expect, test } from 'vitest';
import {
  existingPrivileges,
  missingObjectsOf,
} from '../../../../runner/engines/mysql/archive/missing-objects.ts';

const missing = missingObjectsOf([
  ['TABLE', 'app', 'go`ne ON `x`', ''],
  ['COLUMN', 'app', 'less', 'a) ON `b`'],
  ['PROCEDURE', 'app', 'p', ''],
]);

test.each([
  ['GRANT SELECT ON `app`.`kept` TO `e`@`%`', 'the same'],
  ['GRANT SELECT ON `app`.* TO `e`@`%`', 'the same'],
  ['GRANT `r`@`%` TO `e`@`%`', 'the same'],
  ['GRANT PROXY ON `a`@`%` TO `e`@`%`', 'the same'],
  ['GRANT SELECT ON `app`.`go``ne ON ``x``` TO `e`@`%`', undefined],
  ['GRANT SELECT, CREATE ON `app`.`go``ne ON ``x``` TO `e`@`%`', 'the same'],
  ['GRANT EXECUTE ON PROCEDURE `app`.`p` TO `e`@`%`', undefined],
  ['GRANT EXECUTE ON FUNCTION `app`.`p` TO `e`@`%`', 'the same'],
  ['GRANT SELECT (`a) ON ``b```) ON `app`.`less` TO `e`@`%`', undefined],
  [
    'GRANT SELECT (`a) ON ``b```, `c`), SHOW VIEW, INSERT (`a) ON ``b```) ON `app`.`less` TO `e`@`%` WITH GRANT OPTION',
    'GRANT SELECT (`c`), SHOW VIEW ON `app`.`less` TO `e`@`%` WITH GRANT OPTION',
  ],
])('of %s what exists is kept', (statement, kept) => {
  const found = existingPrivileges(statement, missing);
  expect(found.statement).toBe(kept === 'the same' ? statement : kept);
  expect(found.skipped.length > 0).toBe(kept !== 'the same');
});
