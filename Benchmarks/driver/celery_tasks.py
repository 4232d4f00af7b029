"""The task that a Celery worker takes: it counts, and notes the time of the first and of the last one."""

import os
import time

import celery
import redis

app = celery.Celery("bench", broker=os.environ["BENCH_BROKER"])
app.conf.task_ignore_result = True
items = int(os.environ["BENCH_ITEMS"])
server = redis.Redis.from_url(os.environ["BENCH_BROKER"])


@app.task
def take(number):
    if (count := server.incr("taken")) in (1, items):
        server.rpush("times", time.time())
    return count
