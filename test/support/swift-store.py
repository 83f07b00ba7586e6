# An OpenStack Swift of one machine in one process, speaking S3 on loopback: account, container, object and proxy servers of Debian's python3-swift.
# Prints its port, serves until its input ends. Called by swift-store.ts with the folder for its data.
import os
import sys

from swift.common import utils
from swift.common.utils import eventlet_monkey_patch, set_swift_dir

eventlet_monkey_patch()

import eventlet
from eventlet import tpool, wsgi
from swift.common.http_protocol import SwiftHttpProtocol
from swift.common.ring import RingBuilder

root = sys.argv[1]
etc = os.path.join(root, 'etc')
os.makedirs(os.path.join(root, 'disk', 'd1'))
os.makedirs(etc)


def write(name, text):
    with open(os.path.join(etc, name), 'w') as file:
        file.write(text)


write('swift.conf', '''
[swift-hash]
swift_hash_path_prefix = millrace
swift_hash_path_suffix = test
[storage-policy:0]
name = one
default = yes
''')
set_swift_dir(etc)
utils.validate_configuration()

from swift.common.storage_policy import reload_storage_policies
from swift.common.wsgi import loadapp

reload_storage_policies()

PROXY = '''
[DEFAULT]
swift_dir = %(etc)s
[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
# It must have one; nothing answers there, so it remembers nothing.
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:symlink]
use = egg:swift#symlink
'''
STORAGE = '''
[DEFAULT]
swift_dir = %(etc)s
devices = %(root)s/disk
mount_check = false
disable_fallocate = true
[pipeline:main]
pipeline = %(name)s-server
[app:%(name)s-server]
use = egg:swift#%(name)s
'''


class Quiet(object):
    def write(self, text):
        pass

    def flush(self):
        pass

    def __getattr__(self, name):
        return lambda *given, **named: None


def serve(name, template):
    write(name + '.conf', template % {'etc': etc, 'root': root, 'name': name})
    app = loadapp(os.path.join(etc, name + '.conf'), global_conf={'log_name': name})
    eventlet.spawn_n(wsgi.server, sockets[name], app, Quiet(), protocol=SwiftHttpProtocol, log_output=False)


names = ('account', 'container', 'object')
sockets = {name: eventlet.listen(('127.0.0.1', 0)) for name in names + ('proxy',)}
for name in names:
    port = sockets[name].getsockname()[1]
    ring = RingBuilder(2, 1, 0)
    place = {'id': 0, 'region': 1, 'zone': 1, 'weight': 1.0, 'device': 'd1', 'meta': '', 'ip': '127.0.0.1', 'port': port}
    ring.add_dev(dict(place, replication_ip='127.0.0.1', replication_port=port))
    ring.rebalance()
    ring.get_ring().save(os.path.join(etc, name + '.ring.gz'))
for name in names:
    serve(name, STORAGE)
serve('proxy', PROXY)
print(sockets['proxy'].getsockname()[1], flush=True)
tpool.execute(sys.stdin.read)
os._exit(0)
