-- The tenant that every instance has, an instance with no other never shows tenants.
INSERT INTO tenants (id, name, quotas, created_at) VALUES ('default', 'default', '{}', 0);
