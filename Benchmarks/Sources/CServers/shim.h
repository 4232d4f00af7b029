#pragma once
#include <libpq-fe.h>
#include <hiredis/hiredis.h>
