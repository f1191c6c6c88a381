-- What TXT records contain: one random text per tenant, for those that exist and for those to come.
UPDATE `tenants` SET `name_token` = lower(hex(randomblob(16)));
--> statement-breakpoint
UPDATE `tenants` SET `quotas` = json_set(`quotas`, '$.domains', 500) WHERE `id` <> 'default';
