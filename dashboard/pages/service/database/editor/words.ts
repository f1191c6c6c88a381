/** Keywords of each engine: not all, only the ones that are typed often. */

const sql = `select from where and or not in is null like between exists as on join left right inner outer cross full using group by order having limit offset
  union all except intersect distinct with recursive case when then else end asc desc insert into values update set delete create table index view unique
  primary key references foreign default check constraint alter add column drop rename to truncate explain cast count sum avg min max coalesce nullif
  lower upper length substring trim round abs now current_timestamp current_date true false exists if over partition`;

const postgres = `returning ilike similar lateral filter nulls first last conflict do nothing materialized analyze vacuum refresh cascade restrict extension
  interval extract date_trunc generate_series string_agg array_agg jsonb_agg jsonb_build_object to_char regexp_replace row_number rank lag lead
  bigint integer smallint numeric text boolean timestamptz timestamp date uuid jsonb json bytea serial`;

const mysql = `show tables columns databases describe duplicate key ignore replace engine auto_increment unsigned group_concat concat ifnull date_format str_to_date
  date_add date_sub interval json_extract json_table bigint int decimal varchar text datetime timestamp date boolean json varbinary optimize analyze row_number`;

const clickhouse = `prewhere final sample array global any asof settings format engine mergetree partition optimize system show describe nullable
  lowcardinality uniq uniqExact quantile quantiles topK arrayJoin groupArray countIf sumIf toDate toDateTime toStartOfHour toStartOfDay formatReadableSize toString
  toInt64 toUInt64 toFloat64 toDecimal128 UInt64 Int64 String DateTime64 Decimal numbers`;

const redis = `GET SET SETEX SETNX MGET MSET INCR INCRBY DECR APPEND STRLEN GETRANGE DEL UNLINK EXISTS EXPIRE PEXPIRE TTL PTTL PERSIST TYPE RENAME SCAN DBSIZE COPY
  HGET HSET HGETALL HKEYS HVALS HDEL HLEN HMGET HINCRBY HEXISTS HSCAN LPUSH RPUSH LPOP RPOP LRANGE LLEN LINDEX LSET LREM LTRIM
  SADD SREM SMEMBERS SISMEMBER SCARD SSCAN SINTER SUNION SDIFF ZADD ZREM ZRANGE ZREVRANGE ZRANGEBYSCORE ZSCORE ZRANK ZCARD ZCOUNT ZINCRBY
  XADD XRANGE XREVRANGE XLEN XDEL XTRIM PFADD PFCOUNT GEOADD GEOSEARCH BITCOUNT GETBIT SETBIT OBJECT MEMORY`;

const mongodb = `find aggregate count distinct insert update delete findAndModify createIndexes dropIndexes listIndexes listCollections create collMod drop collStats
  dbStats explain filter sort limit skip projection pipeline cursor documents updates deletes query key u q multi upsert verbosity
  $match $group $sort $limit $skip $project $addFields $unwind $lookup $count $facet $sum $avg $min $max $push $first $last $eq $ne $gt $gte $lt $lte $in $nin
  $and $or $not $exists $regex $size $elemMatch $set $unset $inc $oid $numberLong $numberDecimal $date`;

const listed = (...texts: readonly string[]) => [...new Set(texts.flatMap((text) => text.split(/\s+/)))];

const all: Record<string, readonly string[]> = {
  postgres: listed(sql, postgres),
  timescale: listed(sql, postgres, 'time_bucket create_hypertable'),
  mysql: listed(sql, mysql),
  clickhouse: listed(sql, clickhouse),
  redis: listed(redis),
  mongodb: listed(mongodb),
};

export const wordsOf = (engine: string): readonly string[] => all[engine] ?? [];
